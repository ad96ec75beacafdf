// The default theme without its web font, with a brand colour of enough contrast, and with the demo beside the pages.
import { Content } from 'vitepress';
import Theme, { VPHomeContent, VPHomeFeatures, VPHomeHero } from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './style.css';

/** The demo is a page of its own, which the router would look for among the pages of the site. */
const DEMO = /\/demo\/(?:index\.html)?(?:#.*)?$/;

/** The home of the default theme, as the main landmark that it lacks. */
const Landing = () =>
  h('main', { class: 'VPHome' }, [h(VPHomeHero), h(VPHomeFeatures), h(VPHomeContent, () => h(Content))]);

export default {
  extends: Theme,
  enhanceApp({ app, router }) {
    app.component('landing', Landing);
    router.onBeforeRouteChange = (to) => {
      if (!DEMO.test(to)) return undefined;
      globalThis.location.assign(to);
      return false;
    };
  },
};
