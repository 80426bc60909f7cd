// Everything that a visitor can click, move or type into now: kind, name, place. Called in the page.
() => {
  const wanted = "button, [role='button'], [role='tab'], [role='radio'], [role='switch'], [role='option'], [role='menuitem'], summary, a[href], "
    + "input, textarea, [role='combobox'], .stage .over, .stage canvas, .js-plotly-plot .nsewdrag";
  const found = [];
  for (const element of document.querySelectorAll(wanted)) {
    const rect = element.getBoundingClientRect();
    const kind = element.matches(".stage *, .nsewdrag") ? "picture" : element.closest("[data-testid='stDownloadButton']") || element.matches("[download]") ? "download" : element.matches("a") ? "link" : element.matches("[role='combobox']") ? "list"
      : element.matches("input[type='range']") ? "slider" : element.matches("input[type='file']") ? "file"
      : element.matches("input[type='number']") ? "number" : element.matches("input:not([type='checkbox']):not([type='radio']), textarea") ? "text" : "button";
    if (element.disabled || element.getAttribute("aria-disabled") === "true" || kind === "file" || element.closest("[inert]")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (kind !== "slider" && (rect.width < 4 || rect.height < 4)) continue;
    if (rect.right <= 0 || rect.left >= innerWidth) continue; // the closed menu: its button opens it
    if (kind === "link" && (element.origin !== location.origin || element.target === "_blank")) continue;
    const box = element.closest("[class*='st-key-']");
    const name = element.getAttribute("aria-label") || element.textContent.trim() || box?.className.match(/st-key-\S+/)?.[0] || element.tagName;
    element.dataset.visitor = found.length;
    found.push({ kind, name: name.slice(0, 60), number: found.length });
  }
  return found;
}
