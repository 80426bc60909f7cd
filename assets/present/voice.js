// Says a number that tells this tab from others, and nothing else of it. It lives as long as the tab: a reload keeps the vote.
/** @param {ComponentCall<Uint8Array>} component of the number that the server knows */
export default function ({ data, setTriggerValue }) {
  let voice = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  try { sessionStorage.headcountVoice = voice = sessionStorage.headcountVoice ?? voice; } catch { /* a browser that keeps nothing */ }
  if (!read(data)) setTriggerValue("number", voice);
}
