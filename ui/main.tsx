import './style.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { client } from './live/queries.ts';
import { Page } from './shell/page.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={client}>
    <Page />
  </QueryClientProvider>,
);
