/** A value of JSON does not look as expected; the message says where and what was expected, never what was there. */
export class Misshapen extends Error {
  override readonly name = 'Misshapen';
}

/** How a value looks in JSON. */
export interface Shape<T> {
  /** @throws Misshapen: `at` is where it stands, for the message. */
  read(value: unknown, at: string): T;
  write(value: T): unknown;
}

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

const same = <T>(read: Shape<T>['read']): Shape<T> => ({ read, write: (value) => value });

const expected = (at: string, what: string): Misshapen => new Misshapen(`${at}: expected ${what}`);

/** Whatever JSON can say, for somebody else to read. */
export const anything: Shape<unknown> = same((value) => value);

/** Text of at most `most` UTF-16 units that `pattern` describes, if there is one. */
export const text = <T extends string = string>(most: number, pattern?: RegExp, what = 'text'): Shape<T> =>
  same((value, at) => {
    if (typeof value !== 'string' || value.length > most) throw expected(at, `${what} of at most ${most} characters`);
    if (pattern && !pattern.test(value)) throw expected(at, what);
    return value as T;
  });

export const whole = (least: number, most: number): Shape<number> =>
  same((value, at) => {
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
    if (!isWhole) throw expected(at, `a whole number from ${least} to ${most}`);
    return value;
  });

export const finite: Shape<number> = same((value, at) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw expected(at, 'a number');
  return value;
});

export const between = (least: number, most: number): Shape<number> =>
  same((value, at) => {
    const found = finite.read(value, at);
    if (found < least || found > most) throw expected(at, `a number from ${least} to ${most}`);
    return found;
  });

/** Unix milliseconds. */
export const date: Shape<Date> = {
  read: (value, at) => new Date(whole(0, 8.64e15).read(value, at)),
  write: (value) => value.getTime(),
};

/** An amount, as its decimal digits. */
export const amount: Shape<bigint> = {
  read: (value, at) => BigInt(text(20, /^(?:0|[1-9]\d*)$/, 'an amount').read(value, at)),
  write: (value) => value.toString(),
};

export const nullable = <T>(inner: Shape<T>): Shape<T | null> => ({
  read: (value, at) => (value === null ? null : inner.read(value, at)),
  write: (value) => (value === null ? null : inner.write(value)),
});

export const oneOf = <const T extends string>(...values: readonly T[]): Shape<T> =>
  same((value, at) => {
    if (!values.includes(value as T)) throw expected(at, `one of ${values.join(', ')}`);
    return value as T;
  });

/** Bytes, in base64 as Node writes it. */
export const bytes = (most: number): Shape<Uint8Array> => ({
  read(value, at) {
    const found = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
    // Only the one way in which we write them.
    if (found === undefined || found.length > most || found.toString('base64') !== value) {
      throw expected(at, `at most ${most} bytes in base64`);
    }
    return found;
  },
  write: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
});

export const list = <T>(item: Shape<T>, most: number): Shape<T[]> => ({
  read(value, at) {
    if (!Array.isArray(value) || value.length > most) throw expected(at, `a list of at most ${most}`);
    return value.map((each, index) => item.read(each, `${at}[${index}]`));
  },
  write: (value) => value.map(item.write),
});

/** An absent value is null. */
export const optional = <T>(inner: Shape<T>): Shape<T | undefined> => ({
  read: (value, at) => (value === null || value === undefined ? undefined : inner.read(value, at)),
  write: (value) => (value === undefined ? null : inner.write(value)),
});

type Fields = Record<string, Shape<never>>;
type Recorded<F> = { [K in keyof F]: ShapeOf<F[K]> };

/** An object with exactly these fields; those that are `optional` may be missing. */
export function record<F extends { [K in keyof F]: Shape<unknown> | Shape<never> }>(fields: F): Shape<Recorded<F>> {
  const shapes = Object.entries(fields as unknown as Fields) as unknown as [string, Shape<unknown>][];
  return {
    read(value, at) {
      const given = objectOf(value, at);
      const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined) throw expected(at, `no field but ${Object.keys(fields).join(', ')}`);
      const read = shapes.map(([name, shape]) => {
        const found = Object.hasOwn(given, name) ? given[name] : undefined;
        return [name, shape.read(found, at === '' ? name : `${at}.${name}`)];
      });
      return Object.fromEntries(read) as Recorded<F>;
    },
    write: (value) =>
      Object.fromEntries(shapes.map(([name, shape]) => [name, shape.write(value[name as keyof F] as unknown)])),
  };
}

/** An object with exactly one of these fields. */
export function oneField<F extends { [K in keyof F]: Shape<unknown> | Shape<never> }>(
  fields: F,
): Shape<{ [K in keyof F]: Record<K, ShapeOf<F[K]>> }[keyof F]> {
  const shapeOf = (name: string) => fields[name as keyof F] as unknown as Shape<unknown>;
  return {
    read(value, at) {
      const [[name, inner] = [], ...others] = Object.entries(objectOf(value, at));
      if (name === undefined || others.length > 0 || !Object.hasOwn(fields, name)) {
        throw expected(at, `one field of ${Object.keys(fields).join(', ')}`);
      }
      return { [name]: shapeOf(name).read(inner, `${at}.${name}`) } as never;
    },
    write: (value) =>
      Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(name).write(inner)])),
  };
}

/** An object from names to values of one shape. */
export const dictionary = <T>(names: RegExp, item: Shape<T>): Shape<Record<string, T>> => ({
  read(value, at) {
    const entries = Object.entries(objectOf(value, at));
    if (entries.some(([name]) => !names.test(name))) throw expected(at, `names that match ${names.source}`);
    return Object.fromEntries(entries.map(([name, each]) => [name, item.read(each, `${at}.${name}`)]));
  },
  write: (value) => Object.fromEntries(Object.entries(value).map(([name, each]) => [name, item.write(each)])),
});

function objectOf(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(at, 'an object');
  return value as Record<string, unknown>;
}
