// Package cmdtest tests the pages that commands write in a headless Chromium: those of pictures, reports and the explorer.
package cmdtest
