// Package modelcmd has the commands on files of models: init prints one to start from, check reads files and holds models to
// the results that they expect, and schema prints the JSON Schemas of files.
package modelcmd
