// Package cmdtest is what the tests of commands share: a headless Chromium for pages, and the schemas of files for
// systems that resize jobs.
package cmdtest
