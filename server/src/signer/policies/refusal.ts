import { Outage } from '../../errors/index.js';

/** Why the signer does not sign. A client learns that it does not, and nothing of why. */
export class SignerRefused extends Outage {
  override readonly name = 'SignerRefused';
  constructor(
    /** The key that was asked for, such as `gas` or `vault:<wallet>`. */
    readonly key: string,
    readonly reason: string,
  ) {
    super('SIGNER_REFUSED', `the signer does not sign with ${key}: ${reason}`);
  }
}

/** What a policy does not allow. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  /** The key whose policy it is; undefined if it is about the whole. */
  key?: string;
}

export function allow(truth: unknown, why: string): asserts truth {
  if (!truth) throw new NotAllowed(why);
}
