import type { Clock } from '../../lib/clock.js';
import type { Signer } from '../../signer/index.js';
import type { Store } from '../../store/sql.js';
import type { LoginTokens } from './login-token.js';

export interface TriggerV2Deps {
  store: Store;
  clock: Clock;
  signer: Signer;
  logins: LoginTokens;
  /** What a login message begins with: up to the wallet that it names. */
  challengePrefix: () => string;
}
