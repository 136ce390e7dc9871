export function murmur3(text: string): number;
export function checkProgram(file: Uint8Array): { problems: string[]; syscalls: string[] };
