"""What keeps hosts from being found and reached, and what to do about it, in plain words.

See `examine`. Nothing here changes anything on this computer, and nothing secret is sent anywhere.
"""
