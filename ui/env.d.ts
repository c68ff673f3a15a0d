/** Styles that the build puts into the page's style sheet; a module has nothing of them. */
declare module '*.css';
