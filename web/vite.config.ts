import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** Browsers that know light-dark(), popovers and anchors: the last two years of each. */
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

export default defineConfig({
  plugins: [tailwindcss()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // React's marks for servers mean nothing here.
    rolldownOptions: {
      // Compiled apart from the dashboard's own code: together they are one long task of a slow machine.
      output: {
        advancedChunks: {
          groups: [{ name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ }],
        },
      },
      onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
    },
  },
  server: { proxy: { '/api': { target: process.env['BERTH_URL'] ?? 'http://127.0.0.1:3000', ws: true } } },
});
