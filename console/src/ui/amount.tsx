import { Labelled } from './parts.js';

interface AmountProps {
  text: string;
  onText: (text: string) => void;
  mint: string;
  onMint: (mint: string) => void;
  mints: readonly { mint: string; symbol: string }[];
  /** Whether the text is an amount of that token. */
  valid: boolean;
}

/** How much of which token. */
export function Amount({ text, onText, mint, onMint, mints, valid }: AmountProps) {
  return (
    <div className="grid grid-cols-[1fr_7rem] gap-2">
      <Labelled name="Amount" problem={valid ? undefined : 'an amount above 0, such as 1.5'}>
        {(id) => (
          <input
            id={id}
            className="field"
            inputMode="decimal"
            value={text}
            onChange={({ target }) => onText(target.value)}
          />
        )}
      </Labelled>
      <Labelled name="Of what">
        {(id) => (
          <select id={id} className="field" value={mint} onChange={({ target }) => onMint(target.value)}>
            {mints.map((each) => (
              <option key={each.mint} value={each.mint}>
                {each.symbol}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}
