import { KeyManagementError } from '../key-management.js';

/**
 * AWS KMS, or a key in it, cannot be used. The message never holds words of AWS's answer: what is said about a wrong signature
 * repeats the session token of the request.
 */
export class KmsError extends KeyManagementError {
  override readonly name = 'KmsError';
  /** The name that AWS has for it, or ours where there was no answer. */
  readonly code: string;

  constructor(message: string, code = '') {
    super(message);
    this.code = code;
  }
}
