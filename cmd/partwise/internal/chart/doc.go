// Package chart draws figures of panels. Names stand at the ends of curves, or at the categories of an axis. A legend stands
// beside the panels only where names have no room.
//
// Colours are those of Okabe and Ito, which people with any colour vision can distinguish. Dashes and markers repeat the
// information of the colours, so that figures can be printed in black and white.
//
// Reference: M. Okabe, K. Ito, Color Universal Design: how to make figures and presentations that are friendly to colorblind
// people, University of Tokyo, 2008.
package chart
