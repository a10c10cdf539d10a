"""What LangChain, LangGraph, LlamaIndex and Haystack emit goes in as it is; our metric runs inside the others."""

from __future__ import annotations

from typing import Any

from faithmeter import DataError, Sample, check, evaluate

TOWER = "The Eiffel Tower is 330 metres tall and stands in Paris."
BRIDGE = "The Golden Gate Bridge opened in 1937."
GOOD = "The Eiffel Tower is 330 metres tall."
QUESTION = "How tall is the Eiffel Tower?"


def _refused(call: Any, *words: str) -> None:
    said = ""
    try:
        call()
    except DataError as error:
        said = str(error)
    assert len(said.splitlines()) == 1, said
    assert all(word in said for word in words), said


# --- LangChain and LangGraph --------------------------------------------------------------------------


def case_langchain_documents() -> str:
    """LangChain (langchain-core): `check(answer, [Document, …])`"""
    from langchain_core.documents import Document

    documents = [Document(BRIDGE, id="b"), Document(TOWER, metadata={"source": "tower.txt"})]
    result = check(GOOD, documents, verifier="lexical")
    assert result.score == 1.0
    assert [context.id for context in result.sample.contexts] == ["b", "tower.txt"]
    assert result.verdicts[0].evidence[0].context == 1
    return f"score {result.score}, evidence from `tower.txt`"


def case_langchain_chain() -> str:
    """LangChain (langchain): the dict of a retrieval chain, `{input, context: [Document], answer}`, to `evaluate`"""
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=32))
    store.add_documents([Document(TOWER), Document(BRIDGE)])
    prompt = ChatPromptTemplate.from_template("Context: {context}\nQuestion: {input}")
    chain = RunnablePassthrough.assign(context=lambda row: store.similarity_search(row["input"])).assign(
        answer=prompt | FakeListChatModel(responses=[GOOD])  # an AIMessage
    )
    report = evaluate([chain.invoke({"input": QUESTION})], verifier="lexical")
    assert (report.mean, report.results[0].sample.question) == (1.0, QUESTION)
    legacy = {"query": QUESTION, "result": GOOD, "source_documents": store.similarity_search(QUESTION)}
    assert evaluate([legacy], verifier="lexical").mean == 1.0
    return f"mean {report.mean}; `{{query, result, source_documents}}` as well"


def _agent() -> Any:
    from langchain.agents import create_agent
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

    @tool
    def search(query: str) -> str:
        """Search."""
        return TOWER

    asks = AIMessage("", tool_calls=[{"name": "search", "args": {"query": "tower"}, "id": "1"}])
    return create_agent, Model, search, asks, AIMessage


def case_langgraph_messages() -> str:
    """LangGraph (langgraph): an agent's state, `{messages: [HumanMessage, AIMessage, ToolMessage, AIMessage]}`"""
    create_agent, model, search, asks, message = _agent()
    agent = create_agent(model(messages=iter([asks, message(GOOD)])), [search])
    state = agent.invoke({"messages": [("user", QUESTION)]})
    result = check(state, verifier="lexical")
    assert (result.score, result.sample.question) == (1.0, QUESTION)
    assert [context.text for context in result.sample.contexts] == [TOWER]
    assert check(state["messages"], verifier="lexical").score == 1.0
    _refused(lambda: check(state["messages"][:-1]), "no answer", "a tool's result")
    _refused(lambda: check(state["messages"][:1]), "no answer", "from the user")
    return "the tool's result is the context; score 1.0"


def case_langchain_retriever_tool() -> None:
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    tool = ToolMessage("joined", tool_call_id="1", artifact=[Document(TOWER), Document(BRIDGE)])
    sample = Sample.of([HumanMessage(QUESTION), tool, AIMessage(GOOD)])
    assert [context.text for context in sample.contexts] == [TOWER, BRIDGE]


# --- LlamaIndex ---------------------------------------------------------------------------------------


def _llama_response() -> Any:
    from llama_index.core import Document, MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback

    class Fixed(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        @llm_completion_callback()
        def complete(self, prompt: str, **options: Any) -> CompletionResponse:
            return CompletionResponse(text=GOOD)

        @llm_completion_callback()
        def stream_complete(self, prompt: str, **options: Any) -> Any:
            yield CompletionResponse(text=GOOD, delta=GOOD)

    documents = [Document(text=TOWER, metadata={"file_name": "t.md"}), Document(text=BRIDGE)]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(8))
    return index, Fixed()


def case_llamaindex_response() -> str:
    """LlamaIndex (llama-index-core): the `Response` of a query engine, with its `source_nodes`; also streamed"""
    index, llm = _llama_response()
    response = index.as_query_engine(llm=llm).query(QUESTION)
    result = check(response, question=QUESTION, verifier="lexical")
    assert (result.score, result.sample.question, len(result.sample.contexts)) == (1.0, QUESTION, 2)
    assert TOWER in {context.text for context in result.sample.contexts}
    assert evaluate([response], verifier="lexical").mean == 1.0
    assert check(index.as_query_engine(llm=llm, streaming=True).query(QUESTION), verifier="lexical").score == 1.0
    nodes = index.as_retriever().retrieve(QUESTION)
    assert check(GOOD, nodes, verifier="lexical").score == 1.0
    return "score 1.0, a context for each node"


def case_llamaindex_node_without_text() -> None:
    from llama_index.core.schema import ImageNode, NodeWithScore

    _refused(lambda: check(GOOD, [NodeWithScore(node=ImageNode(image="aGk="), score=1.0)]), "without text")


# --- Haystack -----------------------------------------------------------------------------------------


def _haystack() -> Any:
    from haystack import Document, Pipeline, component
    from haystack.components.builders import AnswerBuilder, PromptBuilder
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    @component
    class Fixed:
        @component.output_types(replies=list[str])
        def run(self, prompt: str) -> dict[str, Any]:
            return {"replies": [GOOD]}

    store = InMemoryDocumentStore()
    store.write_documents([Document(content=TOWER), Document(content=BRIDGE)])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    pipeline.add_component("prompt", PromptBuilder("{{documents}} {{query}}", required_variables=["query"]))
    pipeline.add_component("llm", Fixed())
    pipeline.add_component("answers", AnswerBuilder())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("retriever.documents", "answers.documents")
    pipeline.connect("prompt", "llm")
    pipeline.connect("llm.replies", "answers.replies")
    return pipeline


def case_haystack_pipeline() -> str:
    """Haystack (haystack-ai): a pipeline's output: `GeneratedAnswer`, or `replies` and `documents`"""
    pipeline = _haystack()
    asked = {"retriever": {"query": QUESTION}, "prompt": {"query": QUESTION}, "answers": {"query": QUESTION}}
    output = pipeline.run(asked)
    result = check(output, verifier="lexical")
    assert (result.score, result.sample.question) == (1.0, QUESTION)
    assert TOWER in {context.text for context in result.sample.contexts}
    assert evaluate([output["answers"]["answers"][0]], verifier="lexical").mean == 1.0
    output = pipeline.run(asked, include_outputs_from={"retriever", "llm"})
    del output["answers"]
    assert check(output, verifier="lexical").score == 1.0
    return "score 1.0, a context for each document"


def case_haystack_document_without_text() -> None:
    from haystack import Document

    _refused(lambda: check(GOOD, [Document(content=TOWER), Document(meta={"x": 1})]), "contexts.1", "without text")


def case_haystack_chat() -> None:
    from haystack.dataclasses import ChatMessage, ToolCall

    call = ToolCall(tool_name="search", arguments={}, id="1")
    messages = [
        ChatMessage.from_user(QUESTION),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(TOWER, origin=call),
        ChatMessage.from_assistant(GOOD),
    ]
    sample = Sample.of({"messages": messages})
    assert (sample.answer, sample.question) == (GOOD, QUESTION)
    assert [context.text for context in sample.contexts] == [TOWER]


def case_openai_objects() -> str:
    """OpenAI (openai): a chat log of dicts, whose answer is the SDK's `ChatCompletion`"""
    from openai.types.chat import ChatCompletion

    reply = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": GOOD}}
    completion = ChatCompletion.model_validate(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [reply]}
    )
    messages = [
        {"role": "system", "content": f"<documents><document>{TOWER}</document></documents>"},
        {"role": "user", "content": QUESTION},
    ]
    result = check({"messages": messages, "response": completion}, verifier="lexical")
    assert (result.score, result.sample.question) == (1.0, QUESTION)
    return "the marked passage is the context; score 1.0"


def case_nothing_was_imported() -> None:
    import subprocess
    import sys

    code = "import sys, faithmeter; print(sorted({n.split('.')[0] for n in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not any(name in loaded for name in ("langchain", "llama_index", "haystack", "openai"))


# --- the docs -----------------------------------------------------------------------------------------


def _block(title: str) -> str:
    """The code under a heading of the guide."""
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "guides" / "your-framework.md").read_text("utf-8")
    return page.split(f"## {title}")[1].split("```py\n")[1].split("```")[0]


def _run_block(code: str, **names: Any) -> Any:
    import os
    import tempfile

    assert len(code.strip().splitlines()) <= 10
    with tempfile.TemporaryDirectory() as folder:
        back = os.getcwd()
        os.chdir(folder)
        try:
            names |= {"questions": [QUESTION]}
            exec(code, names)
            assert os.path.getsize("report.html") > 1000
        finally:
            os.chdir(back)
    return names["report"]


def case_ten_lines_of_langchain() -> None:
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_core.vectorstores import InMemoryVectorStore

    report = _run_block(
        _block("LangChain, in ten lines"),
        embedding=DeterministicFakeEmbedding(size=8),
        llm=FakeListChatModel(responses=[GOOD]),
        ChatPromptTemplate=ChatPromptTemplate,
        RunnablePassthrough=RunnablePassthrough,
        InMemoryVectorStore=InMemoryVectorStore,
    )
    assert (report.mean, report.results[0].sample.question) == (1.0, QUESTION)


def case_ten_lines_of_llamaindex() -> None:
    from llama_index.core import MockEmbedding

    report = _run_block(_block("LlamaIndex, in ten lines"), embedding=MockEmbedding(8), llm=_llama_response()[1])
    assert (report.mean, report.results[0].sample.question) == (1.0, QUESTION)
