import { amountProblem } from '../lib/format.js';
import { Labelled, Typed } from './parts.js';

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
      <Labelled name="Amount" problem={valid ? undefined : amountProblem(text)}>
        {(id) => <Typed id={id} value={text} change={onText} />}
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
