// Draws each figure anew in the width that it has. Where this does not run the still drawing stays.
for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const live = figure.querySelector(".live");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  figure.classList.add("drawing");
  const room = live.clientWidth;
  spec.config.legend.columns = Math.max(1, Math.floor(room / 150));
  spec.background = "transparent";
  if (spec.facet) {
    spec.columns = Math.max(1, Math.min(spec.columns, Math.floor(room / 280)));
    spec.spec.width = Math.floor(room / spec.columns) - 85;
  } else {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
  }
  vegaEmbed(live, spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
  }).then(
    () => figure.classList.replace("drawing", "drawn"),
    () => figure.classList.remove("drawing"),
  );
}
