import { amountText, plainName } from '../lib/format.js';

type Info = Record<string, unknown>;
interface TokenAmount {
  amount: string;
  decimals: number;
}

/** What the chain's RPC has decoded of an account or an instruction: names in words, amounts as people write them. */
export function Fields({ info }: { info: Info }) {
  return Object.entries(info).map(([name, value]) => (
    <Field key={name} name={wordsOf(name)} text={textOf(name, value, info)} />
  ));
}

function Field({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt className="truncate text-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{plainName(text, 300)}</dd>
    </>
  );
}

/** What the chain calls `mintAuthority` is "Mint authority" here. */
const wordsOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

function textOf(name: string, value: unknown, { decimals }: Info): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isTokenAmount(value)) return amountText(BigInt(value.amount), value.decimals, value.decimals);
  if (name === 'supply' && isTokenAmount({ amount: value, decimals }))
    return amountText(BigInt(value as string), decimals as number, decimals as number);
  if (name === 'lamports' && Number.isSafeInteger(value)) return `${amountText(BigInt(value as number), 9, 9)} SOL`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isTokenAmount(value: unknown): value is TokenAmount {
  const { amount, decimals } = (value ?? {}) as Partial<TokenAmount>;
  return typeof amount === 'string' && /^\d+$/.test(amount) && typeof decimals === 'number';
}
