import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './live/api.ts';
import { applyTheme } from './frame/theme.ts';
import { makeRouter } from './router.tsx';

applyTheme();
const root = document.getElementById('root');
// After the modules have done what they do first, which is long enough for one task.
if (root)
  setTimeout(() =>
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={queries}>
          <RouterProvider router={makeRouter()} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
