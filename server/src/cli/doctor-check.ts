/** The result of one check. */
export interface Check {
  name: string;
  ok: boolean;
  /** What was found. */
  detail: string;
  /** What to do about it, if anything. */
  next?: string;
}
