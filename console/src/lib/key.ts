/** The key of every sandbox but a public one, which asks for its own. */
const KNOWN = 'sandbox';
const PLACE = 'slipway.key';
/** What the service prints at its start ends with it. No server sees this part of an address. */
const IN_ADDRESS = /^#key=([\w-]+)$/;

const [, given] = IN_ADDRESS.exec(location.hash) ?? [];
if (given !== undefined) {
  localStorage.setItem(PLACE, given);
  history.replaceState(null, '', location.pathname + location.search);
}
addEventListener('hashchange', () => IN_ADDRESS.test(location.hash) && location.reload());

/** The key that the reader has given. A change of it loads the page again. */
export const givenKey = localStorage.getItem(PLACE) ?? undefined;
export const API_KEY = givenKey ?? KNOWN;

export function keepKey(key: string): void {
  localStorage.setItem(PLACE, key);
  location.reload();
}

export function forgetKey(): void {
  localStorage.removeItem(PLACE);
  location.reload();
}
