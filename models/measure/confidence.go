package measure

// Confidence is the confidence level of intervals if nobody asks for another level.
const Confidence = 0.95
