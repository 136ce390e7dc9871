import { Token } from '../token/token.js';
import { TokenError } from '../token/token-error.js';
import type { SignerContext } from './context.js';
import type { SignerSettings } from './settings.js';

/** The token of the settings, whose coming and going is noted. @throws TokenError */
export function openToken(
  settings: NonNullable<SignerSettings['token']>,
  { SLIPWAY_SIGNER_PIN: pin }: SignerContext['env'],
  note: (event: string, facts: Record<string, unknown>) => void,
): Token {
  if (!pin) throw new TokenError(`the token ${settings.label} needs its PIN: set SLIPWAY_SIGNER_PIN`);
  return Token.open({
    ...settings,
    pin,
    onChange: (change) =>
      'away' in change
        ? note('the token is away: its keys sign nothing', { reason: change.away })
        : note('the token is back', {}),
  });
}
