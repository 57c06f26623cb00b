// Package replaycmd runs the jobs of a log under policies: the command replay.
//
//	log, flags → replay.Study → []*replay.Run → table, CSV, JSON, figure
package replaycmd
