// The stage with all its head counts packed in; a click on a panel moves the slider.
const bytes = Uint8Array.from(atob("{{data}}"), (letter) => letter.charCodeAt(0)), root = document.getElementById("root");
const go = (value) => {
  const at = stops.findIndex((stop) => stop.value === value);
  if (at >= 0) { slider.value = at; slider.dispatchEvent(new Event("input")); }
};
mount({ data: bytes, parentElement: root, setTriggerValue: (what, value) => { if (what === "go" && {{heads}}) go(value); } });
const change = (at) => root.stage.foretell(at);
