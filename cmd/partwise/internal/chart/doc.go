// Package chart draws figures of panels side by side, over one legend that stands beneath them and hides nothing.
//
// Colours are those of Okabe and Ito, which people with any colour vision tell apart; dashes and markers repeat what
// the colours say, so that a figure survives a black and white printer.
//
// Reference: M. Okabe, K. Ito, Color Universal Design: how to make figures and presentations that are friendly to
// colorblind people, University of Tokyo, 2008.
package chart
