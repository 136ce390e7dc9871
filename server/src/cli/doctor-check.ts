/** One thing that was looked at. */
export interface Check {
  name: string;
  ok: boolean;
  /** What was found. */
  detail: string;
  /** What to do about it, where something is to be done. */
  next?: string;
}
