// The entry of the web app of a service.
import { createClient } from '@grainline/client';
import { startWorker } from '../worker/start-worker.ts';
import { AboutService } from './panels/about-service.tsx';
import { Paying, Tasks } from './panels/sending.tsx';
import { startApp } from './start-app.tsx';

startApp({
  startWorker,
  service: {
    client: createClient({ url: new URL('.', document.baseURI) }),
    panels: { About: AboutService, Tasks, Paying },
  },
});
