"""What a gradient costs: ratios to the function itself, measured in one run, beside other systems where installed."""
