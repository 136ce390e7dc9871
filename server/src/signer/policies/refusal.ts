import { Outage } from '../../errors/index.js';

/** Why the signer does not sign. A client learns that it does not, and nothing of why. */
export class SignerRefused extends Outage {
  override readonly name: string = 'SignerRefused';
  constructor(
    /** The key that was asked for, such as `gas` or `vault:<wallet>`. */
    readonly key: string,
    readonly reason: string,
    how: { code: 'SIGNER_REFUSED' | 'SIGNER_HOLDS'; told?: string | undefined } = { code: 'SIGNER_REFUSED' },
  ) {
    super(how.code, `the signer does not sign with ${key}: ${reason}`, { told: how.told });
  }
}

/** The signer may sign it at another time: a limit is reached, or its operator has stopped it. */
export class SignerHolds extends SignerRefused {
  override readonly name = 'SignerHolds';
  /** @param told what a client may read of it */
  constructor(key: string, reason: string, told?: string) {
    super(key, reason, { code: 'SIGNER_HOLDS', told });
  }
}

/** What a policy does not allow. */
export class NotAllowed extends Error {
  override readonly name: string = 'NotAllowed';
  /** The key whose policy it is; undefined if it is about the whole. */
  key?: string;
}

/** What is allowed at another time. */
export class NotNow extends NotAllowed {
  override readonly name = 'NotNow';
  constructor(
    message: string,
    /** What a client may read of it. */
    readonly told?: string,
  ) {
    super(message);
  }
}

export function allow(truth: unknown, why: string): asserts truth {
  if (!truth) throw new NotAllowed(why);
}
