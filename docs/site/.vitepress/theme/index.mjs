// The default theme without its web font, and with a brand colour of enough contrast.
import Theme from 'vitepress/theme-without-fonts';
import './style.css';

export default Theme;
