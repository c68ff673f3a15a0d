import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { asks } from '../live/queries.ts';
import { views } from '../views.ts';
import { type Opened, openedOf } from './opened.ts';

/** The views that this deployment has something for. */
export function useOpened(): readonly Opened[] {
  const zones = useQuery(asks.zones).data;
  return useMemo(() => openedOf(views, zones), [zones]);
}
