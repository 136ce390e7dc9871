/** A value as operators write it: a list of a variable with commas, an object as JSON. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
