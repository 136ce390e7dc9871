export interface Toolchain {
  clang?: string | undefined;
  ld?: string | undefined;
}
export const TOOLCHAIN: Required<Toolchain>;
export function installedToolchain(): Toolchain;
export function compileProgram(name: string, root?: string): { file: Buffer; syscalls: string[] };
export function compileForCoverage(name: string, root?: string): { file: Buffer; blocks: number };
