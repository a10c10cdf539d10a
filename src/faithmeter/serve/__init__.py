"""The guard over HTTP: checks, guards and fixes answers, streams verdicts, and stands in front of a model's endpoint.

Needs the extra `[server]`. `faithmeter serve` starts it; `serve.app.create_app` builds it for another ASGI server.
"""
