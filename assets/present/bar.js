// Walks by buttons and by keys. A step is a place in the browser's history: it is gone to as Back and Forward go to one.
const NEXT = ["ArrowRight", "PageDown", " "], BACK = ["ArrowLeft", "PageUp"];
const TYPED_INTO = "input, textarea, select, [contenteditable]";

export default function ({ data, parentElement }) {
  const find = (name) => parentElement.querySelector("." + name);
  const here = () => Math.max(1, Math.min(data.most, +new URLSearchParams(location.search).get("step") || 1));
  const show = () => {
    find("place").textContent = `${here()} of ${data.most}`;
    find("back").disabled = here() === 1;
    find("next").disabled = here() === data.most;
  };
  const visit = (change) => {
    const to = new URL(location.href);
    change(to.searchParams);
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  };
  const go = (step) => {
    if (step < 1 || step > data.most || step === here()) return;
    visit((query) => query.set("step", step));
    show();
  };
  const leave = () => visit((query) => ["present", "step"].forEach((key) => query.delete(key)));
  const press = (e) => {
    const target = e.composedPath()[0];
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches?.(TYPED_INTO)) return;
    if (e.key === " " && target.matches?.("button, a")) return;
    const step = e.key === "Home" ? 1 : e.key === "End" ? data.most : BACK.includes(e.key) || (e.key === " " && e.shiftKey) ? here() - 1
      : NEXT.includes(e.key) ? here() + 1 : null;
    if (step === null && e.key !== "Escape") return;
    e.preventDefault();
    e.stopPropagation(); // the picture has keys of its own, for where it is not presented
    if (step === null) leave(); else go(step);
  };
  find("back").onclick = () => go(here() - 1);
  find("next").onclick = () => go(here() + 1);
  find("leave").onclick = leave;
  find("page").href = data.link;
  find("live").textContent = `Step ${data.step} of ${data.most}: ${data.says}`;
  show();
  parentElement.ended?.abort();
  const ended = (parentElement.ended = new AbortController()); // of this call: Streamlit may end one that a later one has overtaken
  document.addEventListener("keydown", press, { capture: true, signal: ended.signal });
  return () => ended.abort();
}
