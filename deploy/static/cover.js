{
  const given = new URLSearchParams(location.search);
  if (given.get("present") === "1") location.replace(`${document.body.dataset.up}walk/${given.get("step") ?? 1}/index.html${location.search}`);
  const byId = (id) => document.getElementById(id), form = byId("controls"), { heads, split } = form.elements;
  const texts = document.querySelectorAll(".text"), said = document.querySelectorAll("section > details p");
  const bytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const begin = ({ stops, frames }) => {
    let now = "";
    const show = (key) => {
      const { query, texts: words, pictures, alts } = frames[key], [way, count] = key.split(" ");
      split.value = way;
      heads.value = stops.indexOf(Number(count));
      heads.setAttribute("aria-valuetext", `${count} heads`);
      form.querySelector("output").value = count;
      if (now) {
        const last = words.length - 1;
        texts.forEach((box, at) => { box.innerHTML = at === 0 ? words[0] : at === texts.length - 1 ? words[last] : at === 1 ? "" : words[at - 1]; });
        said.forEach((box, at) => { box.textContent = alts[at]; });
        document.dispatchEvent(new CustomEvent("cover", { detail: query }));
        try { history.replaceState(history.state, "", location.pathname + (query && `?${query}`)); } catch { /* a file has one address */ }
      }
      document.querySelectorAll(".picture").forEach((host, at) => {
        if (host.dataset.stage === "0") { if (now) host.innerHTML = pictures[at]; return; }
        if (!host.stage) host.innerHTML = `/*MARKUP*/`;
        mount({ data: bytes(pictures[at]), parentElement: host, setTriggerValue: (_, to) => {
          if (frames[to]) show(to);
          if (to === "/*OPEN*/") location.href = `${document.body.dataset.up}attention/index.html`;
        } });
      });
      now = key;
    };
    const asked = given.toString();
    const key = Object.keys(frames).find((one) => frames[one].query === asked);
    if (asked && !key) byId("status").textContent = "These settings need the whole app.";
    const usual = `${split.value} ${stops[heads.value]}`;
    const start = () => {
      show(usual);
      if (key && key !== usual) show(key);
      document.documentElement.dataset.alive = "yes";
      document.dispatchEvent(new Event("alive"));
    };
    form.addEventListener("input", () => show(`${split.value} ${stops[heads.value]}`));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(now));
    Promise.allSettled([400, 600].map((weight) => document.fonts.load(`${weight} 16px "Headcount Sans"`))).then(start);
  };
  new Response(new Blob([bytes(atob("/*FRAMES*/"))]).stream().pipeThrough(new DecompressionStream("deflate"))).json().then(begin);
}
