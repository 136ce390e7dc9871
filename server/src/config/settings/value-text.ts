/** A value as people write it: a variable's list with commas between, an object as JSON. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
