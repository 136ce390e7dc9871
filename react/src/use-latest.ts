import { type RefObject, useLayoutEffect, useRef } from 'react';

/** A place that always has the value of the last render, for what runs later. */
export function useLatest<T>(value: T): RefObject<T> {
  const place = useRef(value);
  useLayoutEffect(() => {
    place.current = value;
  });
  return place;
}
