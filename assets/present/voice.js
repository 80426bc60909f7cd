// What tells this tab from others, as long as it lives: a reload keeps a phone's vote, and the lecturer's screen leads on. A phone says
// a number drawn by chance, and nothing else of it.
/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data, setTriggerValue }) {
  /** @type {{ room: string, lead: string, known: boolean }} the signature that leads, and whether the server knows this tab */
  const { room, lead, known } = read(data);
  let said = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  try {
    if (lead) sessionStorage.headcountLead = room + lead;
    const kept = sessionStorage.headcountLead ?? "";
    said = kept.startsWith(room) ? `lead ${kept.slice(room.length)}` : (sessionStorage.headcountVoice ??= said);
  } catch { /* a browser that keeps nothing */ }
  if (!known) setTriggerValue("said", said);
}
