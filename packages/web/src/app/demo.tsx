// The entry of the static demo: the web app without a service.
import { startWorkerOfPage } from '../worker/start-worker.ts';
import { startApp } from './start-app.tsx';

startApp({ startWorker: startWorkerOfPage });
