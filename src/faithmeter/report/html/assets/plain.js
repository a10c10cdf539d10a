setUpTheme();
document.documentElement.dataset.ready = "true";
