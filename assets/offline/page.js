// A page that works alone. At each place of its controls it shows a frame: texts, and pictures by the program of their kind.
{
  const given = new URLSearchParams(location.search), { up } = document.body.dataset;
  if (up && given.get("present") === "1") location.replace(`${up}walk/${given.get("step") ?? 1}/index.html${location.search}`);
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("controls"));
  const { heads, split } = /** @type {Record<string, HTMLInputElement | undefined>} */ (/** @type {unknown} */ (form?.elements ?? {}));
  const hosts = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".picture"));
  const texts = document.querySelectorAll(".text"), said = document.querySelectorAll("section > details p");
  /** @param {string} text */
  const bytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  /** @param {string} text base64 of what is deflated */
  const unpacked = (text) => new Response(new Blob([bytes(atob(text))]).stream().pipeThrough(new DecompressionStream("deflate")));
  // Nothing leaves the file: no button that uploads a chart, and no address to upload to.
  const plotly = "/*PLOTLY*/", config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["sendChartToCloud"], plotlyServerURL: "" };

  /** @param {Record<string, Frame>} frames by convention and head count */
  const begin = (frames) => {
    const keys = Object.keys(frames), stops = [...new Set(keys.map((key) => key.split(" ")[1]))];
    const chosen = () => (heads ? `${split?.value ?? ""} ${stops[Number(heads.value)]}` : keys[0]);
    let now = chosen();
    /** @type {Record<string, (host: HTMLElement, data: any) => void>} */
    const draw = {
      svg: (host, drawn) => { host.innerHTML = drawn; },
      stage: (host, scene) => {
        if (!("stage" in host)) host.innerHTML = `/*MARKUP*/`;
        mount({ data: bytes(scene), parentElement: host, setTriggerValue: (_, to) => {
          if (frames[String(to)]) show(String(to));
          if (up && to === "/*OPEN*/") location.href = `${up}attention/index.html`;
        } });
      },
      chart: (host, { data, layouts }) => { // the widest layout that the page has room for; without one the narrowest
        if (!("data" in host)) host.replaceChildren();
        const fitted = layouts.find((/** @type {{ width?: number }} */ one) => (one.width ?? 0) <= host.clientWidth) ?? layouts.at(-1);
        Plotly.react(host, data, fitted, config);
      },
    };
    const paint = () => hosts.forEach((host, at) => draw[host.dataset.kind ?? ""](host, frames[now].pictures[at]));
    /** @param {string} key */
    const show = (key) => {
      const { query, texts: words, alts } = frames[key], [way, count] = key.split(" "), moved = key !== now;
      now = key;
      if (split) split.value = way;
      if (form && heads) {
        heads.value = String(stops.indexOf(count));
        heads.setAttribute("aria-valuetext", `${count} heads`);
        /** @type {HTMLOutputElement} */ (form.querySelector("output")).value = count;
      }
      if (moved) {
        texts.forEach((box, at) => { box.innerHTML = words[at]; });
        said.forEach((box, at) => { box.textContent = alts[at]; });
      }
      if (moved && query !== null) {
        document.dispatchEvent(new CustomEvent("cover", { detail: query }));
        try { history.replaceState(history.state, "", location.pathname + (query && `?${query}`)); } catch { /* a file has one address */ }
      }
      paint();
    };
    const asked = given.toString(), key = keys.find((one) => frames[one].query === asked);
    if (asked && !key) /** @type {HTMLElement} */ (document.getElementById("status")).textContent = "These settings need the whole app.";
    form?.addEventListener("input", () => show(chosen()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    if (plotly) addEventListener("resize", paint);
    show(now);
    if (key && key !== now) show(key);
    document.documentElement.dataset.alive = "yes";
    document.dispatchEvent(new Event("alive"));
  };
  const read = unpacked("/*FRAMES*/").json();
  // A canvas uses the fonts that are loaded, and does not change when another arrives.
  const fonts = Promise.allSettled([...document.fonts].map((face) => face.load()));
  const program = plotly && unpacked(plotly).text().then((text) => {
    document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
  });
  Promise.all([read, fonts, program]).then(([frames]) => begin(frames));
}
