// Walks by buttons and by keys. The target is sent, not "one further": two quick presses are two steps, whatever the server has answered.
const NEXT = ["ArrowRight", "PageDown", " "], BACK = ["ArrowLeft", "PageUp"];
const TYPED_INTO = "input, textarea, select, [contenteditable]";

export default function ({ data, parentElement, setTriggerValue }) {
  const find = (name) => parentElement.querySelector("." + name);
  const sent = parentElement.sent;
  // The answer to an earlier step, while a later one is on its way, turns nothing back.
  let at = sent && sent.step !== data.step && performance.now() - sent.time < 3000 ? sent.step : data.step;
  const show = () => {
    find("place").textContent = `${at} of ${data.most}`;
    find("back").disabled = at === 1;
    find("next").disabled = at === data.most;
  };
  const go = (step) => {
    const wanted = Math.max(1, Math.min(data.most, step));
    if (wanted === at) return;
    at = wanted;
    show();
    parentElement.sent = { step: at, time: performance.now() };
    setTriggerValue("go", at);
  };
  const leave = () => setTriggerValue("go", 0);
  const press = (e) => {
    const target = e.composedPath()[0];
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches?.(TYPED_INTO)) return;
    if (e.key === " " && target.matches?.("button, a")) return;
    const step = e.key === "Home" ? 1 : e.key === "End" ? data.most : BACK.includes(e.key) || (e.key === " " && e.shiftKey) ? at - 1
      : NEXT.includes(e.key) ? at + 1 : null;
    if (step === null && e.key !== "Escape") return;
    e.preventDefault();
    e.stopPropagation(); // the picture has keys of its own, for where it is not presented
    if (step === null) leave(); else go(step);
  };
  find("back").onclick = () => go(at - 1);
  find("next").onclick = () => go(at + 1);
  find("leave").onclick = leave;
  find("page").href = data.link;
  find("live").textContent = `Step ${data.step} of ${data.most}: ${data.says}`;
  show();
  parentElement.unlisten?.();
  document.addEventListener("keydown", press, true);
  parentElement.unlisten = () => document.removeEventListener("keydown", press, true);
  return () => parentElement.unlisten();
}
