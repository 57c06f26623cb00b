// Package words makes parts of sentences for people: lists of words, counted nouns, words of a shell, and the remedy for a word that nobody
// knows.
//
// Errors, help texts and results share these helpers, so that a list or a question reads the same wherever it appears.
package words
