// What of these a visitor can click, move or type into now: kind, name and place among them. Called in the page.
(elements) => elements.flatMap((element, number) => {
  const kinds = {
    picture: "canvas, .over, .nsewdrag", download: "[data-testid='stDownloadButton'] button, [download], .files button", link: "a",
    list: "[role='combobox']", slider: "[type='range']", file: "[type='file']", number: "[type='number']",
    text: "textarea, input:not([type='checkbox'], [type='radio'])", button: "*",
  };
  const kind = Object.keys(kinds).find((kind) => element.matches(kinds[kind])), rect = element.getBoundingClientRect();
  if (element.disabled || element.ariaDisabled === "true" || kind === "file" || element.closest("[inert]")) return [];
  if (!element.checkVisibility({ visibilityProperty: true })) return [];
  if (kind !== "slider" && (rect.width < 4 || rect.height < 4)) return [];
  if (rect.right <= 0 || rect.left >= innerWidth) return []; // the closed menu: its button opens it
  if (kind === "link" && (element.origin !== location.origin || element.target === "_blank")) return [];
  const name = element.ariaLabel || element.textContent.trim() || element.closest("[class*='st-key-']")?.className.match(/st-key-\S+/)?.[0];
  return [{ kind, name: (name || element.className || element.tagName).slice(0, 60), number }];
})
