import type { Chain } from '../chain.js';
import type { Account, AddressedAccount } from '../types.js';
import { RpcError } from './errors.js';
import { type AccountFilter, passesFilters } from './filters.js';
import { stringifyJson } from './json.js';
import type { News } from './line.js';
import { type AccountView, renderAccounts, viewed } from './render.js';

/** Characters of texts that are kept while accounts are told. */
const MOST_KEPT = 8 << 20;
/** What the shortest one counts. */
const LEAST_KEPT = 1 << 10;

type Texts = Map<string, Promise<string | undefined>>;

/** Bounds the memory of the texts of all accounts that are being told: those are made again that were begun first. */
export class KeptTexts {
  /** How much each has, the oldest first. */
  readonly #kept = new Map<Texts, number>();
  #characters = 0;

  add(texts: Texts, length: number): void {
    const more = LEAST_KEPT + length;
    this.#kept.set(texts, (this.#kept.get(texts) ?? 0) + more);
    this.#characters += more;
    for (const [oldest, characters] of this.#kept) {
      if (this.#characters <= MOST_KEPT) return;
      oldest.clear();
      this.#kept.delete(oldest);
      this.#characters -= characters;
    }
  }
}

interface Watcher {
  view: AccountView;
  /** The view as text: those of one form are shown the same. */
  form: string;
  filters: AccountFilter[];
}

interface NewsDeps<W> {
  chain: Chain;
  kept: KeptTexts;
  log: (line: string) => void;
  /** The whole result, of an account as it is rendered. */
  inResult: (account: unknown) => unknown;
  send: (watcher: W, result: string) => void;
}

/** A changed account, which is rendered once for all who want it in one form. */
export function accountNews<W extends Watcher>(
  { address, account }: AddressedAccount,
  { chain, kept, log, inResult, send }: NewsDeps<W>,
): News<W> {
  const rendered: Texts = new Map();
  const inForm = async ({ form, view }: W): Promise<string | undefined> => {
    const known = rendered.get(form);
    if (known) return known;
    const rendering = render(view);
    rendered.set(form, rendering);
    kept.add(rendered, (await rendering)?.length ?? 0);
    return rendering;
  };
  /** Nothing where its caller cannot be shown the account, as a long one in base58: others hear of theirs all the same. */
  const render = async (view: AccountView): Promise<string | undefined> => {
    try {
      const [value] = await renderAccounts(chain, [{ address, account }], view);
      return stringifyJson(inResult(value));
    } catch (error) {
      if (!(error instanceof RpcError)) log(`an account notification failed: ${error}`);
      return undefined;
    }
  };
  const isPassed = ({ filters }: W) => passesFilters(account, filters);
  return {
    bytesFor: (watcher) => (isPassed(watcher) ? base64Length(shown(account.data, watcher.view)) : 0),
    tell: async (watcher) => {
      if (!isPassed(watcher)) return;
      const text = await inForm(watcher);
      if (text !== undefined) send(watcher, text);
    },
  };
}

/** What is parsed is shown whole. */
const shown = (data: Account['data'], view: AccountView) =>
  view.encoding === 'jsonParsed' ? data : viewed(data, view);

const base64Length = ({ length }: Account['data']): number => Math.ceil((length * 4) / 3);
