// Identifies this tab as long as it is open: after a reload a phone keeps its vote, and the lecturer's screen still leads. A phone
// sends only a random number.
/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data, setTriggerValue }) {
  /** @type {{ room: string, lead: string, asks: string, known: boolean }} the lecturer's signature, what her screen asks, and
   * whether the server knows this tab */
  const { room, lead, asks, known } = read(data);
  let said = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  try {
    if (lead) sessionStorage.headcountLead = `${room}${lead} ${asks}`.trim();
    const kept = sessionStorage.headcountLead ?? "";
    said = kept.startsWith(room) ? `lead ${kept.slice(room.length)}` : (sessionStorage.headcountVoice ??= said);
  } catch { /* a browser that keeps nothing */ }
  if (!known) setTriggerValue("said", said);
}
