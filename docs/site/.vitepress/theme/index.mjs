// The default theme without its web font, with a brand colour of enough contrast, and with the demo beside the pages.
import Theme from 'vitepress/theme-without-fonts';
import './style.css';

/** The demo is a page of its own, which the router would look for among the pages of the site. */
const DEMO = /\/demo\/(?:index\.html)?(?:#.*)?$/;

export default {
  extends: Theme,
  enhanceApp({ router }) {
    router.onBeforeRouteChange = (to) => {
      if (!DEMO.test(to)) return undefined;
      globalThis.location.assign(to);
      return false;
    };
  },
};
