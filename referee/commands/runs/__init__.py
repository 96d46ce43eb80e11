"""Commands that read the store of a run: tables, pictures, pages, exports, bundles, and the proof of it."""
